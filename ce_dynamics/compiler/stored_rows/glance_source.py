"""All questions of a run whose every row was observed, as LLVM IR."""

LOOKED_AT = ("closures", "outputs", "inputs", "gearing")
"""Tables whose columns are to be within bounds."""


def _within(k: int, name: str) -> str:
    """Ask it of a table; given are the numbers in a row, and columns, bounds and count as of `Bounds`."""
    loads = "\n".join(
        f"""\
  %{name}.{what}.p = getelementptr i64, ptr %tables, i64 {5 * k + j}
  %{name}.{what} = load {kind}, ptr %{name}.{what}.p"""
        for j, (what, kind) in enumerate(
            (("stride", "i64"), ("columns", "ptr"), ("lower", "ptr"), ("upper", "ptr"), ("m", "i64"))
        )
    )
    return f"""\
{loads}
  %{name}.ok = call i64 @all_within(ptr %{name}, i64 %{name}.stride, i64 %n, ptr %{name}.columns,\
 ptr %{name}.lower, ptr %{name}.upper, i64 %{name}.m)
"""


GLANCE = f"""
define i64 @glance(ptr %t, ptr %states, ptr %inputs, ptr %outputs, ptr %closures, ptr %gearing, i64 %n,\
 ptr %tables, ptr %sizes, ptr %given, ptr %memory, double %most) {{
entry:
  %n_y = load i64, ptr %sizes
  %n_u.p = getelementptr i64, ptr %sizes, i64 1
  %n_u = load i64, ptr %n_u.p
  %n_o.p = getelementptr i64, ptr %sizes, i64 2
  %n_o = load i64, ptr %n_o.p
  %all_y = mul i64 %n, %n_y
  %all_u = mul i64 %n, %n_u
  %all_o = mul i64 %n, %n_o
  %finite.y = call i64 @all_finite(ptr %states, i64 %all_y)
  %finite.u = call i64 @all_finite(ptr %inputs, i64 %all_u)
  %finite.o = call i64 @all_finite(ptr %outputs, i64 %all_o)
{"".join(_within(k, name) for k, name in enumerate(LOOKED_AT))}
  %ok.1 = and i64 %finite.y, %finite.u
  %ok.2 = and i64 %ok.1, %finite.o
  %ok.3 = and i64 %ok.2, %closures.ok
  %ok.4 = and i64 %ok.3, %outputs.ok
  %ok.5 = and i64 %ok.4, %inputs.ok
  %ok.6 = and i64 %ok.5, %gearing.ok
  %well = icmp ne i64 %ok.6, 0
  %led = icmp ne ptr %given, null
  %asks = and i1 %well, %led
  br i1 %asks, label %ahead, label %end
ahead:
  %calm = call i64 @calm_ahead(ptr %t, ptr %states, i64 %n_y, ptr %inputs, i64 %n_u, i64 %n, ptr %given,\
 ptr %memory, double %most)
  br label %end
end:
  %answer = phi i64 [%ok.6, %entry], [%calm, %ahead]
  ret i64 %answer
}}
"""
