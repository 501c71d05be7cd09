# ruff: noqa: E501 - lines that are run
"""What scripts do with `tf.contrib.training.HParams`: each line is run on new parameters, its value is written down.

python3.7 tests/runtime/cases/hparams_cases.py > tests/runtime/goldens/hparams.json    (with TensorFlow 1.15)
"""

import numpy

MAKE = "HParams(rate=0.1, layers=[1, 2], name='x', deep=False, units=8, none=None, words=['a', 'b'], flags=[True])"
TEXTS = [
    "rate=0.5", "rate=1", "rate=1e-3", "rate=-.5", "rate=abc", "rate=", "rate", "rate=0.1,", " rate = 0.5 , units = 3",
    "units=3", "units=3.0", "units=3.5", "units=-4", "units=0x10", "units=1e3", "units=True", "name=abc", "name=a b",
    "name=", "name=[a]", "name=a,units=9", "name='q'", "name=a=b", "name=3", "deep=true", "deep=True", "deep=FALSE",
    "deep=1", "deep=0", "deep=2", "deep=yes", "layers=[3,4]", "layers=[]", "layers=[3]", "layers=3", "layers=[3.5]",
    "layers=[1,2,3],rate=2", "layers[0]=7", "layers[1]=7", "layers[2]=7", "layers[5]=7", "layers[-1]=7", "layers[x]=7",
    "layers[0]=1,layers[1]=2", "layers[0]=a", "layers=[1,[2]]", "words=[c,d]", "words=[c d, e]", "words=c", "words[0]=z",
    "flags=[true,false]", "flags=[0,1]", "other=1", "other[0]=1", "rate[0]=1", "none=1", "none=abc", "", ",", "rate=1,rate=2",
    "rate=1,layers=[1],rate=3", "layers=[1],layers=[2]", "layers[0]=1,layers=[2]", "=3", "rate=[1,2]", "units=3 units=4",
    "rate=nan", "rate=inf", "units=9999999999999", "layers=[1, 2 , 3]", "layers=[1,]", "layers=[,1]", "layers[1 ]=3",
    "name=a.b/c-d_e", "name=a[0]", "name=[a,b]", "rate = 0.5", "layers=[1,2", "layers=1,2]", "rate==1", "rate:1",
    "name = x y ,units=3", "layers [1]=3", "layers[ 1]=3", "words=[ c , d ]", "name=x,", "name=x,,units=3", "units=3,,",
    "name=x;y", "name=x\ny", "name='a,b'", "1a=2", "ra-te=2", "rate=1 ", "words=[]", "words=[ ]", "flags=[true]", "deep= true",
    "rate\t=2", "_x=2", "units=4, rate = 2",
]  # fmt: skip
CALLS = [
    "p.values()", "sorted(p.values())", "'rate' in p", "'other' in p", "p.get('rate')", "p.get('other')", "p.get('other', 3)",
    "p.get('rate', 3.5)", "p.get('rate', 3)", "p.get('rate', 'a')", "p.get('units', 2.5)", "p.get('layers', [3])",
    "p.get('layers', 3)", "p.get('rate', [1.0])", "p.get('layers', ['a'])", "p.get('none', 4)", "p.get('rate', None)",
    "p.get('words', ['c'])", "p.get('deep', True)", "p.get('deep', 1)", "p.get('units', True)", "p.get('layers', [])",
    "p.rate", "p.other", "setattr(p, 'rate', 'text') or p.rate", "p.to_json()", "p.to_json(indent=2, sort_keys=True)",
    "p.to_json(separators=(',', ':'), sort_keys=True)", "str(p)", "repr(p)",
    "p.add_hparam('new', 3) or p.new", "p.add_hparam('rate', 3)", "p.add_hparam('values', 3)", "p.add_hparam('empty', [])",
    "p.add_hparam('mixed', [1, 'a']) or p.mixed", "p.add_hparam('pair', (1, 2)) or p.pair", "p.add_hparam('nones', [None])",
    "p.add_hparam('other', {'a': 1}) or p.other",
    "p.del_hparam('rate') or ('rate' in p, hasattr(p, 'rate'))", "p.del_hparam('other')",
    "p.set_hparam('rate', 2) or p.rate", "p.set_hparam('rate', 2.5) or p.rate", "p.set_hparam('units', 2.5) or p.units",
    "p.set_hparam('units', 2.0) or p.units", "p.set_hparam('units', '7') or p.units", "p.set_hparam('rate', '7') or p.rate",
    "p.set_hparam('rate', True) or p.rate", "p.set_hparam('units', True) or p.units", "p.set_hparam('deep', 1) or p.deep",
    "p.set_hparam('deep', 'true') or p.deep", "p.set_hparam('name', 3) or p.name", "p.set_hparam('name', b'y') or p.name",
    "p.set_hparam('rate', None) or p.rate", "p.set_hparam('none', 3) or p.none", "p.set_hparam('none', None) or p.none",
    "p.set_hparam('layers', [3, 4]) or p.layers", "p.set_hparam('layers', 3)", "p.set_hparam('layers', (3, 4)) or p.layers",
    "p.set_hparam('layers', [3.0]) or p.layers", "p.set_hparam('layers', ['a'])", "p.set_hparam('rate', [1.0])",
    "p.set_hparam('other', 3)", "p.set_hparam('layers', []) or p.layers", "p.set_hparam('words', ['z', 'y']) or p.words",
    "p.override_from_dict({'rate': 2, 'name': 'y'}).values()", "p.override_from_dict({'other': 2})",
    "p.set_from_map({'rate': 3}).rate", "p.parse('rate=3') is p", "p.parse_json('{\"rate\": 3, \"layers\": [5]}').values()",
    "p.parse_json('{\"other\": 3}')", "p.parse_json('[1]')", "p.parse_json('{')", "p.parse_json('{\"rate\": \"a\"}')",
    "p.get_model_structure()", "p.set_model_structure('m') or (p.get_model_structure(), p.values())",
    "HParams(model_structure='m').get_model_structure()", "HParams().values()", "HParams(a=[])", "HParams(values=1)",
    "HParams(a=1).parse('a=2').a", "HParams(f=len).f is len", "HParams(f=len).values()['f'] is len", "HParams(f=len).to_json()",
    "HParams(a=(1, 2)).parse('a=[3]').a", "HParams(a=1).a.__class__.__name__", "p.__class__.__name__",
    "HParams(a=1).parse('a=2.5')", "HParams(a=1.0).parse('a=2').a", "p.parse(3)", "p.parse('rate=2').rate * 2",
    "vars(HParams(a=1, b=[2])) is not None", "HParams(a=1) == HParams(a=1)", "len(vars(HParams(a=1)))",
    "HParams(**{'a b': 1}).values()", "p.parse('rate=2,other=3')", "[p.parse(t).rate for t in ('rate=2', 'rate=3')]",
    "HParams(**{'a.b': 1}).parse('a.b=2').values()", "HParams(_a=1).parse('_a=2').values()", "HParams(a1=1).parse('a1=2').a1",
    "HParams(a=numpy.float32(0.5)).set_hparam('a', 2)", "p.set_hparam('units', numpy.int64(2)) or type(p.units).__name__",
    "p.set_hparam('rate', numpy.float32(0.5)) or type(p.rate).__name__",
    "HParams(a=[None]).set_hparam('a', [3])", "HParams(a=[1, None]).values()", "HParams(f=len).parse('f=abs')",
    "HParams(f=len).set_hparam('f', abs)", "HParams(a={}).parse('a=b')", "HParams(a='x').set_hparam('a', None)",
]  # fmt: skip


def outcomes(HParams):
    """What every line gives: its value as text, or the type of its error."""
    found = {}
    for line in [*(f"p.parse({text!r}).values()" for text in TEXTS), *CALLS]:
        names = {"HParams": HParams, "numpy": numpy}
        names["p"] = eval(MAKE, names)
        try:
            value = eval(line, names)
            found[line] = repr(sorted(value.items()) if isinstance(value, dict) else value)
        except Exception as error:
            found[line] = type(error).__name__
    return found


if __name__ == "__main__":
    import json

    import tensorflow as tf

    print(json.dumps(outcomes(tf.contrib.training.HParams), indent=0))
