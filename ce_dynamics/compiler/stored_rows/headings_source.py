"""Where coordinates go farthest and head for, and whether all is calm there, as LLVM IR."""

from collections.abc import Sequence


def _stored(kind: str, table: str, entry: str, numbers: Sequence[str]) -> str:
    """Put numbers into the row of a coordinate."""
    return "\n".join(
        f"""\
  %{entry}{k} = getelementptr [{len(numbers)} x {kind}], ptr %{table}, i64 %j, i64 {k}
  store {kind} %{number}, ptr %{entry}{k}"""
        for k, number in enumerate(numbers)
    )


FARTHEST = f"""
define void @farthest(ptr %t, ptr %table, i64 %stride, i64 %n, ptr %columns, i64 %m,\
 ptr %rows, ptr %values) {{
entry:
  %last = sub i64 %n, 1
  br label %columns_test
columns_test:
  %j = phi i64 [0, %entry], [%j1, %column_done]
  %more = icmp slt i64 %j, %m
  br i1 %more, label %column, label %end
column:
  %at_q = getelementptr [2 x i64], ptr %columns, i64 %j, i64 0
  %q = load i64, ptr %at_q
  %at_v = getelementptr [2 x i64], ptr %columns, i64 %j, i64 1
  %v = load i64, ptr %at_v
  %first_x = getelementptr double, ptr %table, i64 %q
  %first_r = getelementptr double, ptr %table, i64 %v
  %x0 = load double, ptr %first_x
  br label %rows_test
rows_test:
  %k = phi i64 [0, %column], [%k1, %row]
  %x = phi double [%x0, %column], [%x1, %row]
  %place = phi ptr [%first_x, %column], [%next, %row]
  %place_r = phi ptr [%first_r, %column], [%next_r, %row]
  %low = phi double [%x0, %column], [%low2, %row]
  %high = phi double [%x0, %column], [%high2, %row]
  %low_k = phi i64 [0, %column], [%low_k2, %row]
  %high_k = phi i64 [0, %column], [%high_k2, %row]
  %least = phi double [0x7FF0000000000000, %column], [%least2, %row]
  %most = phi double [0xFFF0000000000000, %column], [%most2, %row]
  %least_k = phi i64 [0, %column], [%least_k2, %row]
  %most_k = phi i64 [0, %column], [%most_k2, %row]
  %on = icmp slt i64 %k, %last
  br i1 %on, label %row, label %column_done
row:
  %k1 = add i64 %k, 1
  %at_t = getelementptr double, ptr %t, i64 %k
  %now = load double, ptr %at_t
  %at_t1 = getelementptr double, ptr %t, i64 %k1
  %then = load double, ptr %at_t1
  %dt = fsub double %then, %now
  %r = load double, ptr %place_r
  %twice = fmul double %r, 2.0
  %way = fmul double %twice, %dt
  %there = fadd double %x, %way
  %is_least = fcmp olt double %there, %least
  %least2 = select i1 %is_least, double %there, double %least
  %least_k2 = select i1 %is_least, i64 %k, i64 %least_k
  %is_most = fcmp ogt double %there, %most
  %most2 = select i1 %is_most, double %there, double %most
  %most_k2 = select i1 %is_most, i64 %k, i64 %most_k
  %next = getelementptr double, ptr %place, i64 %stride
  %next_r = getelementptr double, ptr %place_r, i64 %stride
  %x1 = load double, ptr %next
  %is_low = fcmp olt double %x1, %low
  %low2 = select i1 %is_low, double %x1, double %low
  %low_k2 = select i1 %is_low, i64 %k1, i64 %low_k
  %is_high = fcmp ogt double %x1, %high
  %high2 = select i1 %is_high, double %x1, double %high
  %high_k2 = select i1 %is_high, i64 %k1, i64 %high_k
  br label %rows_test
column_done:
{_stored("i64", "rows", "row", ("low_k", "high_k", "least_k", "most_k"))}
{_stored("double", "values", "value", ("low", "high", "least", "most"))}
  %j1 = add i64 %j, 1
  br label %columns_test
end:
  ret void
}}
"""

HEADS = ("m", "n_y", "n_u", "n_arguments", "rows", "values", "done", "function", "y", "u", "gearing")
"""What `Ahead` gives first; columns, places of what is watched, whether others move it, offsets follow."""


def _loaded(name: str, k: int | str, table: str = "given") -> str:
    """Let a name be an integer of a table."""
    return f"""\
  %{name}.p = getelementptr i64, ptr %{table}, i64 {k}
  %{name} = load i64, ptr %{name}.p"""


AHEAD = f"""
declare void @llvm.memcpy.p0.p0.i64(ptr noalias, ptr noalias, i64, i1)

define i64 @calm_ahead(ptr %t, ptr %Y, i64 %dy, ptr %U, i64 %du,\
 i64 %n, ptr %given, ptr %memory, double %most) {{
entry:
{chr(10).join(_loaded(name, k) for k, name in enumerate(HEADS))}
  %columns = getelementptr i64, ptr %given, i64 {len(HEADS)}
  %two_m = mul i64 %m, 2
  %watched = getelementptr i64, ptr %columns, i64 %two_m
  %moved = getelementptr i64, ptr %watched, i64 %m
  %offsets = getelementptr i64, ptr %moved, i64 %m
  %at_rows = getelementptr i64, ptr %memory, i64 %rows
  %at_values = getelementptr i64, ptr %memory, i64 %values
  %at_done = getelementptr i64, ptr %memory, i64 %done
  %at_y = getelementptr i64, ptr %memory, i64 %y
  %at_u = getelementptr i64, ptr %memory, i64 %u
  %at_gearing = getelementptr i64, ptr %memory, i64 %gearing
  %size_y = mul i64 %n_y, 8
  %size_u = mul i64 %n_u, 8
  call void @farthest(ptr %t, ptr %Y, i64 %dy, i64 %n, ptr %columns, i64 %m, ptr %at_rows, ptr %at_values)
  br label %argument
argument:
  %a = phi i64 [0, %entry], [%a1, %argument]
{_loaded("offset", "%a", "offsets")}
  %place = getelementptr i64, ptr %memory, i64 %offset
  %slot = getelementptr ptr, ptr %memory, i64 %a
  store ptr %place, ptr %slot
  %a1 = add i64 %a, 1
  %more_a = icmp slt i64 %a1, %n_arguments
  br i1 %more_a, label %argument, label %coordinate
coordinate:
  %j = phi i64 [0, %argument], [%j1, %coordinate]
  %low.p = getelementptr [4 x double], ptr %at_values, i64 %j, i64 0
  %low = load double, ptr %low.p
  %high.p = getelementptr [4 x double], ptr %at_values, i64 %j, i64 1
  %high = load double, ptr %high.p
{_loaded("moved_j", "%j", "moved")}
  %alone = icmp eq i64 %moved_j, 0
  %least.p = getelementptr [4 x double], ptr %at_values, i64 %j, i64 2
  %least = load double, ptr %least.p
  %up.p = getelementptr [4 x double], ptr %at_values, i64 %j, i64 3
  %up = load double, ptr %up.p
  %least_1 = fcmp oge double %least, %low
  %least_2 = fcmp ole double %least, %high
  %least_3 = and i1 %least_1, %least_2
  %least_4 = and i1 %least_3, %alone
  %least_done = zext i1 %least_4 to i64
  %done0 = getelementptr [2 x i64], ptr %at_done, i64 %j, i64 0
  store i64 %least_done, ptr %done0
  %up_1 = fcmp oge double %up, %low
  %up_2 = fcmp ole double %up, %high
  %up_3 = and i1 %up_1, %up_2
  %up_4 = and i1 %up_3, %alone
  %up_done = zext i1 %up_4 to i64
  %done1 = getelementptr [2 x i64], ptr %at_done, i64 %j, i64 1
  store i64 %up_done, ptr %done1
  %j1 = add i64 %j, 1
  %more_j = icmp slt i64 %j1, %m
  br i1 %more_j, label %coordinate, label %states
states:
  %p = phi i64 [0, %coordinate], [%p1, %skipped], [%p1, %calm]
  %more_p = icmp slt i64 %p, %two_m
  br i1 %more_p, label %state, label %all_calm
state:
  %p1 = add i64 %p, 1
{_loaded("is_done", "%p", "at_done")}
  %c = lshr i64 %p, 1
  %s = and i64 %p, 1
  %s2 = add i64 %s, 2
  %row.p = getelementptr [4 x i64], ptr %at_rows, i64 %c, i64 %s2
  %row = load i64, ptr %row.p
  %skip = icmp ne i64 %is_done, 0
  br i1 %skip, label %skipped, label %filled
skipped:
  br label %states
filled:
  %from_y = mul i64 %row, %dy
  %from_y.p = getelementptr double, ptr %Y, i64 %from_y
  call void @llvm.memcpy.p0.p0.i64(ptr %at_y, ptr %from_y.p, i64 %size_y, i1 false)
  %from_u = mul i64 %row, %du
  %from_u.p = getelementptr double, ptr %U, i64 %from_u
  call void @llvm.memcpy.p0.p0.i64(ptr %at_u, ptr %from_u.p, i64 %size_u, i1 false)
  br label %others
others:
  %r = phi i64 [%p, %filled], [%r1, %next]
  %before = phi i64 [-1, %filled], [%last, %next]
  %more_r = icmp slt i64 %r, %two_m
  br i1 %more_r, label %other, label %asked
other:
  %r1 = add i64 %r, 1
{_loaded("r_done", "%r", "at_done")}
  %rc = lshr i64 %r, 1
  %rs = and i64 %r, 1
  %rs2 = add i64 %rs, 2
  %r_row.p = getelementptr [4 x i64], ptr %at_rows, i64 %rc, i64 %rs2
  %r_row = load i64, ptr %r_row.p
{_loaded("r_moved", "%rc", "moved")}
  %same = icmp eq i64 %r_row, %row
  %anywhere = icmp eq i64 %r_moved, 0
  %fits = or i1 %same, %anywhere
  %left = icmp eq i64 %r_done, 0
  %free = icmp ne i64 %rc, %before
  %fits_1 = and i1 %fits, %left
  %taken = and i1 %fits_1, %free
  br i1 %taken, label %put, label %next
put:
  %value.p = getelementptr [4 x double], ptr %at_values, i64 %rc, i64 %rs2
  %value = load double, ptr %value.p
  %q.p = getelementptr [2 x i64], ptr %columns, i64 %rc, i64 0
  %q = load i64, ptr %q.p
  %into = getelementptr double, ptr %at_y, i64 %q
  store double %value, ptr %into
  store i64 1, ptr %r_done.p
  br label %next
next:
  %last = phi i64 [%before, %other], [%rc, %put]
  br label %others
asked:
  %f = inttoptr i64 %function to ptr
  call void %f(ptr %memory)
  br label %look
look:
  %w = phi i64 [0, %asked], [%w1, %look]
  %so_far = phi i1 [true, %asked], [%ok, %look]
{_loaded("which", "%w", "watched")}
  %found.p = getelementptr double, ptr %at_gearing, i64 %which
  %found = load double, ptr %found.p
  %within = fcmp ole double %found, %most
  %ok = and i1 %so_far, %within
  %w1 = add i64 %w, 1
  %more_w = icmp slt i64 %w1, %m
  br i1 %more_w, label %look, label %looked
looked:
  br i1 %ok, label %calm, label %close
calm:
  br label %states
all_calm:
  ret i64 1
close:
  ret i64 0
}}
"""
