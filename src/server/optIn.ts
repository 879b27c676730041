/** Toolsets served only on request. */
import type { Domain } from '../../tools/tool.ts';

/** Domains whose tools are not worth their tokens for every client. */
export const OPT_IN: readonly Domain[] = ['claims', 'analytics', 'partner', 'admin', 'extra'];
