"""The proof for the exact register: two programs that build the same graph and make the same session calls.

sides      both recorded, each in a continuous run (`tf2towers.verify.recorder.continuous`)
recording  what was recorded, call by call
compare    call against call: every value, gradient and variable
verdict    what came of it, and what the original does by itself
"""
