/** Which toolsets a client gets only when a person asks for them. */
import type { Domain } from '../../tools/tool.ts';

/** Tools that are not worth their tokens for every client. */
export const OPT_IN: readonly Domain[] = ['claims', 'analytics', 'partner', 'admin', 'extra'];
