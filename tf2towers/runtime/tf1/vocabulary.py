"""`tf.contrib.learn.preprocessing`'s vocabulary of the words of documents.

Written from its documentation, and from what TensorFlow 1.15 did.
"""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

#: words: capitals together, each word of "TwoWords", and what has letters, digits, `'` and `-`
_WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|['\w\-]+")


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """The words of each text."""
    for text in iterator:
        yield _WORD.findall(text)


class CategoricalVocabulary:
    """Numbers for words, from 1 in the order in which they came; 0 is what is not known."""

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token, self._support_reverse, self._freeze = unknown_token, support_reverse, False
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._reverse_mapping: list[Any] = [unknown_token]
        self._freq: Counter[Any] = Counter()

    def __len__(self) -> int:
        """The number of words, the unknown one among them."""
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """From now on a new word is unknown."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """The number of a word, which gets one unless the vocabulary is frozen."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._put(category)
        return self._mapping[category]

    def _put(self, category: Any) -> None:
        self._mapping[category] = len(self._mapping)
        if self._support_reverse:
            self._reverse_mapping.append(category)

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a word."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps words that came more often than `min_frequency`, the most frequent first, then by the alphabet."""
        by_name = sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        found = sorted(by_name, key=lambda item: item[1], reverse=True)
        kept = [(word, count) for word, count in found if count > min_frequency]
        kept = [(word, count) for word, count in kept if max_frequency <= 0 or count < max_frequency]
        self._mapping = {self._unknown_token: 0}
        if self._support_reverse:
            self._reverse_mapping = [self._unknown_token]
        for word, _ in kept:
            self._put(word)
        self._freq = Counter(dict(found[: len(kept)]))

    def reverse(self, class_id: int) -> Any:
        """The word of a number.

        Raises:
            ValueError: the vocabulary was made without `support_reverse`.
        """
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary wasn't initialized with support_reverse to support reverse() function."
            )
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Turns documents into numbers of words.

    Args:
        max_document_length: the length of each row; shorter documents end with zeros.
        min_frequency: words that come no more often are unknown.
        vocabulary: one that is used, and added to.
        tokenizer_fn: documents -> lists of words.
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[Any]], Iterable[Any]] | None = None,
    ) -> None:
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[Any], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the words, and freezes the vocabulary."""
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[Any], unused_y: Any = None) -> Iterator[Any]:
        """Learns the words, and turns the documents into numbers."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[Any]) -> Iterator[Any]:
        """A row of numbers, int64, for each document."""
        for words in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for place, word in zip(range(self.max_document_length), words, strict=False):
                row[place] = self.vocabulary_.get(word)
            yield row

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """The words of rows of numbers, as texts."""
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in row)

    def save(self, filename: str) -> None:
        """Writes it to a file, by pickle."""
        with tf.io.gfile.GFile(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """Reads what `save` wrote."""
        with tf.io.gfile.GFile(filename, "rb") as file:
            found: VocabularyProcessor = pickle.loads(file.read())
            return found
