/* What a library for Windows needs that has no start-up code of a C library. */

/* Called when a process loads the library, and when it lets it go: there is nothing to do. */
int DllMainCRTStartup(void *library, unsigned reason, void *reserved)
{
    (void)library;
    (void)reason;
    (void)reserved;
    return 1;
}

/* Called before a function takes more than a page of the stack, with the bytes in rax, all registers to be
 * kept: touches every page on the way down, the next of which the system then provides. */
__attribute__((naked)) void ___chkstk_ms(void)
{
    __asm__("pushq %rcx\n\t"
            "pushq %rax\n\t"
            "leaq 24(%rsp), %rcx\n" /* the stack of the caller */
            "1:\tcmpq $4096, %rax\n\t"
            "jb 2f\n\t"
            "subq $4096, %rcx\n\t"
            "testq %rcx, (%rcx)\n\t"
            "subq $4096, %rax\n\t"
            "jmp 1b\n"
            "2:\tsubq %rax, %rcx\n\t"
            "testq %rcx, (%rcx)\n\t"
            "popq %rax\n\t"
            "popq %rcx\n\t"
            "ret");
}
