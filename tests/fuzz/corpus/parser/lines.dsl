y = a +
    b
z =
    f(a,
      b
    )
z = (a
     + b
     .T)
w = 1 if a
    else 2
y = [[1, 2], [3, 4,]]
