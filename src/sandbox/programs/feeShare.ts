/**
 * The fee share program (version 2): its addresses, and the instructions that make and change configs, collect and pay.
 * Its quote is wrapped SOL; configs in another token are made with the same instructions by a program of our own.
 */
export * from './feeShare/claims.ts';
export * from './feeShare/configs.ts';
export * from './feeShare/pair.ts';
