"""Two programs that build the same graph and make the same session calls: an original, and what `migrate` wrote.

recording  what was recorded of each continuous run (`tf2towers.verify.recorder.calls`), call by call
compare    call against call: every value, gradient and variable
verdict    what came of it
"""
