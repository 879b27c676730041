/*
 * A program of our own: the fee share stand-in for configs in a quote token other than wrapped SOL. The service has such
 * configs, and which program makes them is not published; what the sandbox does is an invention.
 */
#define ANY_QUOTE
#include "feeShare.c"
