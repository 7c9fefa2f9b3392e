"""Whether all numbers are finite, and whether columns stay within bounds, as LLVM IR."""

AT_ONCE = 16
"""Numbers that are looked at together; times zero, they are zero only if they are finite."""

_SOME = f"<{AT_ONCE} x double>"

FINITE = f"""
declare double @llvm.vector.reduce.fadd.v{AT_ONCE}f64(double, {_SOME})

define i64 @all_finite(ptr %x, i64 %n) {{
entry:
  %most = and i64 %n, {-AT_ONCE}
  %any = icmp ne i64 %most, 0
  br i1 %any, label %some, label %test
some:
  %k = phi i64 [0, %entry], [%k1, %some]
  %sum = phi {_SOME} [zeroinitializer, %entry], [%sum1, %some]
  %at = getelementptr double, ptr %x, i64 %k
  %numbers = load {_SOME}, ptr %at, align 8
  %zeros = fmul {_SOME} %numbers, zeroinitializer
  %sum1 = fadd {_SOME} %sum, %zeros
  %k1 = add i64 %k, {AT_ONCE}
  %on = icmp ult i64 %k1, %most
  br i1 %on, label %some, label %together
together:
  %part = call double @llvm.vector.reduce.fadd.v{AT_ONCE}f64(double 0.0, {_SOME} %sum1)
  br label %test
test:
  %j = phi i64 [%most, %entry], [%most, %together], [%j1, %rest]
  %total = phi double [0.0, %entry], [%part, %together], [%total1, %rest]
  %more = icmp ult i64 %j, %n
  br i1 %more, label %rest, label %end
rest:
  %at_j = getelementptr double, ptr %x, i64 %j
  %number = load double, ptr %at_j
  %zero = fmul double %number, 0.0
  %total1 = fadd double %total, %zero
  %j1 = add i64 %j, 1
  br label %test
end:
  %finite = fcmp oeq double %total, 0.0
  %answer = zext i1 %finite to i64
  ret i64 %answer
}}
"""

WITHIN = """
define i64 @all_within(ptr %table, i64 %stride, i64 %n, ptr %columns, ptr %lower, ptr %upper, i64 %m) {
entry:
  br label %columns_test
columns_test:
  %j = phi i64 [0, %entry], [%j1, %column_done]
  %so_far = phi i1 [true, %entry], [%ok, %column_done]
  %more = icmp slt i64 %j, %m
  br i1 %more, label %column, label %end
column:
  %at_c = getelementptr i64, ptr %columns, i64 %j
  %c = load i64, ptr %at_c
  %at_l = getelementptr double, ptr %lower, i64 %j
  %l = load double, ptr %at_l
  %at_u = getelementptr double, ptr %upper, i64 %j
  %u = load double, ptr %at_u
  %first = getelementptr double, ptr %table, i64 %c
  br label %rows_test
rows_test:
  %k = phi i64 [0, %column], [%k1, %row]
  %place = phi ptr [%first, %column], [%next, %row]
  %ok = phi i1 [%so_far, %column], [%ok1, %row]
  %on = icmp slt i64 %k, %n
  br i1 %on, label %row, label %column_done
row:
  %x = load double, ptr %place
  %not_below = fcmp oge double %x, %l
  %not_above = fcmp ole double %x, %u
  %inside = and i1 %not_below, %not_above
  %ok1 = and i1 %ok, %inside
  %next = getelementptr double, ptr %place, i64 %stride
  %k1 = add i64 %k, 1
  br label %rows_test
column_done:
  %j1 = add i64 %j, 1
  br label %columns_test
end:
  %answer = zext i1 %so_far to i64
  ret i64 %answer
}
"""
