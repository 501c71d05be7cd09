"""Strings, numbers in text, records, serialized examples."""

import tensorflow as tf
from cases import case, cases, normal


def serialized_example():
    features = tf.train.Features(
        feature={
            "whole": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2])),
            "text": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x"])),
            "numbers": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0, 3.0])),
        }
    )
    return tf.constant(tf.train.Example(features=features).SerializeToString())


@case
def one_example():
    return tf.parse_single_example(
        serialized_example(),
        {
            "whole": tf.FixedLenFeature([2], tf.int64),
            "text": tf.FixedLenFeature([], tf.string),
            "numbers": tf.VarLenFeature(tf.float32),
            "missing": tf.FixedLenFeature([], tf.int64, default_value=9),
        },
    )


@case
def examples():
    both = [serialized_example(), serialized_example()]
    return [
        tf.parse_example(
            both,
            features={
                "whole": tf.FixedLenFeature((2,), tf.int64),
                "numbers": tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
                "nothing": tf.VarLenFeature(tf.int64),
            },
        ),
        tf.io.parse_example(both, {"text": tf.io.FixedLenFeature([], tf.string)}, name="named"),
        tf.io.parse_example(
            tf.stack(both), {"text": tf.VarLenFeature(tf.string), "whole": tf.VarLenFeature(tf.int64)}
        ),
        tf.io.parse_single_example(
            serialized_example(), features={"whole": tf.FixedLenFeature([2], tf.int64)}, name="single"
        ),
    ]


def serialized_sequence():
    example = tf.train.SequenceExample()
    example.context.feature["count"].int64_list.value.append(3)
    features = example.feature_lists.feature_list["values"].feature
    for number in range(3):
        features.add().int64_list.value.append(number)
    return tf.constant(example.SerializeToString())


TABLE = {
    "split_and_joined": lambda: [
        tf.string_split(["a b", "c"]),
        tf.string_split(["a,b"], ","),
        tf.string_split(["abc"], ""),
        tf.string_split(["a  b"], skip_empty=False),
        tf.string_split(source=["a;b,c"], delimiter=";,"),
        tf.strings.split(["a b", "c"]),
        tf.strings.split(["a--b"], sep="--", maxsplit=1, result_type="SparseTensor"),
        tf.string_join(["a", "b"], "-"),
        tf.string_join([["a", "b"], "c"], separator="."),
        tf.string_join([tf.as_string(1), ".txt"]),
        tf.reduce_join([["a", "b"], ["c", "d"]], 1),
        tf.reduce_join([["a", "b"], ["c", "d"]], axis=[0, 1], separator="+"),
        tf.reduce_join([["a", "b"], ["c", "d"]], keep_dims=True, reduction_indices=0),
        tf.strings.reduce_join([["a", "b"]], axis=1),
        tf.strings.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 2, ","),
    ],
    "changed": lambda: [
        tf.substr(["hello"], 1, 2),
        tf.strings.substr(["häuser"], 1, 2, unit="UTF8_CHAR"),
        tf.string_strip([" a "]),
        tf.regex_replace(["aab"], "a", "x"),
        tf.regex_replace(["aab"], "a", "x", replace_global=False),
        tf.strings.regex_full_match(["aab"], "a+b"),
        tf.strings.length(["abc", "ä"]),
        tf.strings.length(["ä"], unit="UTF8_CHAR"),
        tf.strings.upper(["a"]),
        tf.strings.lower(["Ä"], encoding="utf-8"),
        tf.strings.format("{}", [1.0]),
        tf.strings.format("{} and {}", (tf.constant([1, 2]), tf.constant("x"))),
        tf.encode_base64("abc"),
        tf.encode_base64("abcd", pad=True),
        tf.decode_base64("YWJj"),
        tf.strings.unicode_decode(["aä"], "UTF-8").values,
        tf.strings.unicode_encode(tf.constant([97, 228]), "UTF-8"),
        tf.strings.unicode_transcode(["ä"], "UTF-8", "UTF-16-BE"),
        tf.strings.unicode_script([97, 1051]),
        tf.strings.bytes_split(["ab"]).values,
    ],
    "numbers_and_text": lambda: [
        tf.string_to_number(["1.5"]),
        tf.string_to_number(["7"], tf.int32),
        tf.strings.to_number(["7", "1e3"], out_type=tf.float64),
        tf.as_string([1.5, 2.0]),
        tf.as_string([1, 2], width=4, fill="0"),
        tf.as_string([1.0 / 3.0], precision=3, scientific=True),
        tf.as_string([1e10, 0.1], shortest=True),
        tf.as_string([True, False]),
        tf.as_string(tf.constant([1.0 / 3.0], tf.float64)),
        tf.string_to_hash_bucket_fast(["a", "b"], 10),
        tf.string_to_hash_bucket(["a"], 10),
        tf.string_to_hash_bucket_strong(["a"], 10, [1, 2]),
        tf.decode_raw([b"\x01\x02\x03\x04"], tf.uint8),
        tf.decode_raw([b"\x01\x02\x03\x04"], tf.int16, little_endian=False),
        tf.decode_raw(bytes=[b"\x00\x00\x80\x3f"], out_type=tf.float32, name="named"),
        tf.decode_csv(["1,2.5,x"], [[0], [0.0], [""]]),
        tf.decode_csv(["1|2.5|x"], [[0], [0.0], [""]], field_delim="|"),
        tf.decode_csv("1,NA,x", [[0], [0.5], [""]], na_value="NA"),
        tf.decode_csv(['1,2,"a,b"'], record_defaults=[[0], [0.0], [""]], select_cols=[0, 1, 2]),
        tf.decode_csv(['1,"2'], [[0], [""]], use_quote_delim=False),
        tf.decode_json_example('{"features": {"feature": {}}}'),
        tf.serialize_tensor(tf.constant([1, 2])),
        tf.parse_tensor(tf.serialize_tensor(normal(2)), tf.float32),
    ],
    "sequence_example": lambda: [
        tf.parse_single_sequence_example(
            serialized_sequence(),
            {"count": tf.FixedLenFeature([], tf.int64)},
            {"values": tf.FixedLenSequenceFeature([], tf.int64)},
        ),
        tf.parse_single_sequence_example(
            serialized=serialized_sequence(),
            context_features={"count": tf.FixedLenFeature([1], tf.int64)},
            sequence_features={"values": tf.VarLenFeature(tf.int64)},
            example_name="name",
        ),
        tf.io.parse_sequence_example(
            [serialized_sequence()], sequence_features={"values": tf.FixedLenSequenceFeature([], tf.int64)}
        ),
    ],
}
cases(__name__, TABLE)
