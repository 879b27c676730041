/*
 * 128-bit numbers as two words, the lower first, and 256-bit products. Prices are square roots with 64 fractional bits;
 * liquidity has another 64: amounts = liquidity × price difference.
 */
#pragma once
#include "program.h"

/* Minimum and maximum price of a pool. */
static const u64 MIN_PRICE[2] = {4295048016ULL, 0};
static const u64 MAX_PRICE[2] = {0x845c1aa94e69579bULL, 0xfffec4b1ULL};

/* out (2 words) = a × b */
static void multiply_words(u64 *out, u64 a, u64 b) {
  u64 al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
  u64 low = al * bl, one = ah * bl + (low >> 32), two = al * bh + (one & 0xffffffff);
  out[0] = (two << 32) | (low & 0xffffffff);
  out[1] = ah * bh + (one >> 32) + (two >> 32);
}
static int less(const u64 *a, const u64 *b) { return a[1] != b[1] ? a[1] < b[1] : a[0] < b[0]; }
static int equal(const u64 *a, const u64 *b) { return a[0] == b[0] && a[1] == b[1]; }
static void set(u64 *to, const u64 *from) { to[0] = from[0], to[1] = from[1]; }
static void subtract(u64 *out, const u64 *a, const u64 *b) {
  u64 borrow = a[0] < b[0], high = a[1] - b[1] - borrow;
  out[0] = a[0] - b[0];
  out[1] = high;
}
/* out = a + b; returns 1 on overflow. */
static int add(u64 *out, const u64 *a, const u64 *b) {
  u64 low = a[0] + b[0], carry = low < a[0], high = a[1] + b[1];
  int over = high < a[1];
  high += carry;
  over |= high < carry;
  out[0] = low, out[1] = high;
  return over;
}
/* out (4 words) = a × b */
static void multiply(u64 *out, const u64 *a, const u64 *b) {
  u64 part[2];
  out[0] = out[1] = out[2] = out[3] = 0;
  for (int i = 0; i < 2; i++) {
    u64 carry = 0;
    for (int j = 0; j < 2; j++) {
      multiply_words(part, a[i], b[j]);
      u64 sum = out[i + j] + part[0], high = part[1] + (sum < part[0]);
      sum += carry;
      high += sum < carry;
      out[i + j] = sum;
      carry = high;
    }
    out[i + 2] = carry;
  }
}
/* out (2 words) = n (4 words) / d, rounded up if requested; returns 1 on overflow. Overwrites n. */
static int divide(u64 *out, u64 *n, const u64 *d, int up) {
  u64 rest[2] = {0, 0}, top = 4;
  if (d[0] == 0 && d[1] == 0) return 1;
  out[0] = out[1] = 0;
  while (top > 0 && n[top - 1] == 0) top--;
  if (top <= 1 && d[1] == 0) {
    out[0] = n[0] / d[0];
    rest[0] = n[0] % d[0];
  } else {
    for (u64 i = top * 64; i-- > 0;) {
      u64 over = rest[1] >> 63;
      rest[1] = (rest[1] << 1) | (rest[0] >> 63);
      rest[0] = (rest[0] << 1) | (n[i >> 6] >> (i & 63) & 1);
      if (over || !less(rest, d)) {
        subtract(rest, rest, d);
        if (i >= 128) return 1;
        out[i >> 6] |= 1ULL << (i & 63);
      }
    }
  }
  if (up && (rest[0] | rest[1])) {
    out[0]++;
    if (out[0] == 0 && ++out[1] == 0) return 1;
  }
  return 0;
}
/* out = a × b / d; returns 1 on overflow. */
static int multiply_divide(u64 *out, const u64 *a, const u64 *b, const u64 *d, int up) {
  u64 product[4];
  multiply(product, a, b);
  return divide(out, product, d, up);
}
/* Returns a × b / d of single words, rounded down or up; the result must fit a word. */
static u64 share(u64 a, u64 b, u64 d, int up) {
  u64 wide[4] = {0, 0, 0, 0}, by[2] = {d, 0}, out[2];
  multiply_words(wide, a, b);
  divide(out, wide, by, up);
  return out[0];
}

/* Base tokens between two prices: L × (upper − lower) / (upper × lower). Returns 1 if the result exceeds a word. */
static int base_between(u64 *amount, const u64 *lower, const u64 *upper, const u64 *liquidity, int up) {
  u64 step[2], part[4] = {0, 0, 0, 0}, out[2];
  subtract(step, upper, lower);
  if (multiply_divide(part, liquidity, step, upper, up) || divide(out, part, lower, up) || out[1]) return 1;
  *amount = out[0];
  return 0;
}
/* Quote tokens between two prices: L × (upper − lower) / 2¹²⁸. */
static int quote_between(u64 *amount, const u64 *lower, const u64 *upper, const u64 *liquidity, int up) {
  u64 step[2], product[4];
  subtract(step, upper, lower);
  multiply(product, liquidity, step);
  if (product[3]) return 1;
  *amount = product[2] + (up && (product[0] | product[1]));
  return 0;
}
/* Price after an input of base tokens: L × √p / (L + amount × √p), rounded up. */
static int price_after_base(u64 *out, const u64 *price, const u64 *liquidity, u64 amount) {
  u64 wide[4], by[2] = {amount, 0}, sum[2];
  multiply(wide, price, by);
  if (wide[2] | wide[3] || add(sum, wide, liquidity)) return 1;
  return multiply_divide(out, liquidity, price, sum, 1);
}
/* Price after an input of quote tokens: √p + amount × 2¹²⁸ / L, rounded down. */
static int price_after_quote(u64 *out, const u64 *price, const u64 *liquidity, u64 amount) {
  u64 wide[4] = {0, 0, amount, 0}, step[2];
  return divide(step, wide, liquidity, 0) || add(out, price, step);
}

/* fee × (1 − reduction / 10,000)^steps, rounded down at the end. */
static u64 decay(u64 fee, u64 reduction, u64 steps) {
  u64 power[2] = {0, 1}, factor[2], wide[4] = {0, reduction, 0, 0}, by[2] = {10000, 0}, product[4];
  if (reduction == 0) return fee;
  divide(factor, wide, by, 0);
  factor[0] = 0 - factor[0], factor[1] = 0;
  for (; steps; steps >>= 1) {
    if (steps & 1) {
      multiply(product, power, factor);
      power[0] = product[1], power[1] = product[2];
    }
    multiply(product, factor, factor);
    factor[0] = product[1], factor[1] = product[2];
  }
  by[0] = fee, by[1] = 0;
  multiply(product, power, by);
  return product[1];
}
