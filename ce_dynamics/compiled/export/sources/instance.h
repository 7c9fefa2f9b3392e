/* One instance of the model, whatever the version of FMI. */
#ifndef INSTANCE_H
#define INSTANCE_H

#include <stddef.h>

#include "@NAME@.h"

enum {
    N_Y = @UPPER@_STATES,
    N_X = @CONTINUOUS@, /* of them are integrated, the others change at samples alone */
    N_INDICATORS = @INDICATORS@,
    N_U = @UPPER@_U,
    N_OUTPUTS = @UPPER@_OUTPUTS,
    N_CLOSURES = @UPPER@_CLOSURES,
    N_LIMITS = @LIMITED@ /* of outputs that must not become negative */
};

/* Value references, as modelDescription.xml has them. */
enum {
    TIME = 0,
    FIRST_STATE = 1,
    FIRST_RATE = FIRST_STATE + N_Y,
    FIRST_GIVEN = FIRST_RATE + N_X,
    LONGEST_STEP = FIRST_GIVEN + N_U,
    FIRST_OUTPUT = LONGEST_STEP + 1,
    CLOSURE_ERROR = FIRST_OUTPUT + N_OUTPUTS,
    N_REFERENCES = CLOSURE_ERROR + 1 + N_INDICATORS /* the margin of charts */
};

/* What is saved and restored. */
typedef struct {
    double time;
    double longest_step;
    double samples; /* that were made, or lie before the start */
    double y[N_Y ? N_Y : 1];
    double u[N_U ? N_U : 1];
} Snapshot;

typedef struct {
    Snapshot now;
    int rates_known, outputs_known;
    double rate[N_Y ? N_Y : 1];
    double outputs[N_OUTPUTS ? N_OUTPUTS : 1];
    double closure_error;
    const char *problem; /* the last one, in words */
    /* of the importer */
    void *environment;
    void (*log)(void);
    char *name;
} Instance;

/* Places in y of what is integrated. */
extern const int instance_continuous[];

Instance *instance_new(const char *name);
void instance_free(Instance *instance);
void instance_reset(Instance *instance);
void instance_start(Instance *instance, double time);
void instance_restore(Instance *instance, const Snapshot *snapshot);

/* All return 0, or -1 with `problem` set. */
int instance_get(Instance *instance, size_t reference, double *value);
int instance_set(Instance *instance, size_t reference, double value);
int instance_check(Instance *instance);
int instance_save(Instance *instance, void **snapshot);
int instance_serialize(Instance *instance, const void *snapshot, void *bytes, size_t size);
int instance_deserialize(Instance *instance, const void *bytes, size_t size, void **snapshot);
int instance_rates(Instance *instance);
int instance_set_continuous(Instance *instance, const double x[], size_t n);
void instance_get_continuous(const Instance *instance, double x[], size_t n);
int instance_get_rates(Instance *instance, double rates[], size_t n);
int instance_sample(Instance *instance, double *next);
int instance_within(Instance *instance);
int instance_advance(Instance *instance, double from, double length);
int instance_direction(Instance *instance, const unsigned int unknowns[], size_t n_unknowns,
                       const unsigned int knowns[], size_t n_knowns, const double seed[], double sensitivity[]);

double instance_margin(const Instance *instance);
int instance_renew(Instance *instance);

#endif
