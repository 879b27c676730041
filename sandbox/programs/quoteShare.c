/*
 * A program of our own: the fee share stand-in for configs in a quote token other than wrapped SOL. The service has such
 * configs, and nobody has published which program makes them; what the sandbox does is an invention.
 */
#define ANY_QUOTE
#include "feeShare.c"
