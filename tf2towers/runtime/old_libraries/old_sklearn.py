"""Functions that scikit-learn has given up."""

from __future__ import annotations

from typing import Any

import numpy as np


def linear_assignment(X: Any) -> np.ndarray[Any, Any]:
    """The cheapest pairs of rows and columns of a cost matrix, sorted: (pairs, 2).

    scikit-learn 0.22, utils/linear_assignment_.py. SciPy has the same algorithm; where several
    assignments cost the same, another of them may be returned.
    """
    from scipy.optimize import linear_sum_assignment

    return np.transpose(linear_sum_assignment(X))
