"""What the idiomatic register is certain of: a script that says anything else gets the exact form.

The rewrites know shapes; a script that has such a shape, and something beside it that no shape reckons with, would
become another program. So before anything is written, every rule here looks at the whole program. A rule names what it
allows, not what it forbids: what is not known to be right is a doubt.

    doubts      every rule, on every file of a program
    building    the code that builds towers: the loop's body, what it calls, what follows until a session is made
    worker_example  what rules about clusters show
    rules/      a rule a file: what it doubts, why, what to write instead, and examples
"""
