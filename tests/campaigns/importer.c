/* The least importer of an FMU 3.0: initialises, steps, prints the bits of some variables in hexadecimal.
 *
 * Without a C library on Windows, so that building it there takes no start-up code.  LIBRARY, TOKEN, REFERENCES,
 * VALUES (of the same variables, before the start), N_SET of them, OUTPUTS, STEPS and STEP are defined outside.
 */
#include <stddef.h>

#include "fmi3FunctionTypes.h"

#ifdef _WIN32
__declspec(dllimport) void *__stdcall LoadLibraryA(const char *name);
__declspec(dllimport) void *__stdcall GetProcAddress(void *library, const char *name);
__declspec(dllimport) void *__stdcall GetStdHandle(unsigned which);
__declspec(dllimport) int __stdcall WriteFile(void *file, const void *bytes, unsigned n, unsigned *done, void *o);
__declspec(dllimport) void __stdcall ExitProcess(unsigned code);

static void say(const char *text)
{
    unsigned n = 0, done;
    while (text[n])
        ++n;
    WriteFile(GetStdHandle((unsigned)-11), text, n, &done, NULL);
}
#define OPEN(name) LoadLibraryA(name)
#define FUNCTION(library, name) GetProcAddress(library, name)
#else
#include <dlfcn.h>
#include <stdio.h>
#define say(text) fputs(text, stdout)
#define OPEN(name) dlopen(name, RTLD_NOW)
#define FUNCTION(library, name) dlsym(library, name)
#endif

#define CALL(name) ((name##TYPE *)FUNCTION(library, #name))
#define COUNT(array) (sizeof(array) / sizeof(array[0]))
#define OK(call) \
    if ((call) != fmi3OK) \
    return say("failed: " #call "\n"), 1

static const fmi3ValueReference set[] = {REFERENCES}, seen[] = {OUTPUTS};
static const fmi3Float64 values[] = {VALUES};

static int run(void)
{
    void *library = OPEN(LIBRARY);
    fmi3Float64 found[COUNT(seen)], reached;
    fmi3Boolean event, terminate, early;
    fmi3Instance fmu;

    if (!library)
        return say("the library cannot be loaded\n"), 1;
    fmu = CALL(fmi3InstantiateCoSimulation)("one", TOKEN, "", 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL);
    if (!fmu)
        return say("no instance\n"), 1;
    OK(CALL(fmi3SetFloat64)(fmu, set, COUNT(set), values, COUNT(values)));
    OK(CALL(fmi3EnterInitializationMode)(fmu, 0, 0.0, 0.0, 0, 0.0));
    OK(CALL(fmi3ExitInitializationMode)(fmu));
    for (int k = 0; k < STEPS; ++k)
        OK(CALL(fmi3DoStep)(fmu, k * STEP, STEP, 1, &event, &terminate, &early, &reached));
    OK(CALL(fmi3GetFloat64)(fmu, seen, COUNT(seen), found, COUNT(seen)));
    for (size_t k = 0; k < COUNT(seen); ++k) {
        union { double x; unsigned long long bits; } number = {found[k]};
        char text[18];
        for (int digit = 0; digit < 16; ++digit)
            text[digit] = "0123456789abcdef"[number.bits >> (60 - 4 * digit) & 15];
        text[16] = '\n';
        text[17] = 0;
        say(text);
    }
    OK(CALL(fmi3Terminate)(fmu));
    CALL(fmi3FreeInstance)(fmu);
    return 0;
}

#ifdef _WIN32
void start(void) { ExitProcess((unsigned)run()); }
#else
int main(void) { return run(); }
#endif
