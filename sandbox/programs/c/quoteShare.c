/*
 * Our own program: the fee share stand-in for configs in a quote token other than wrapped SOL. The service has such
 * configs, whose program is not published; this one is invented for the sandbox.
 */
#define ANY_QUOTE
#include "feeShare.c"
