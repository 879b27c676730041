/** The `doctor` row on Node.js. The launcher refuses unsupported versions. */
import { type Finding, good } from './finding.ts';

export const RECOMMENDED_NODE_MAJOR = 24;

/** Returns the row for a version such as `v20.19.0`. */
export function nodeFinding(version: string): Finding {
  const major = Number(/^v(\d+)\./.exec(version)?.[1]);
  const advice =
    major < RECOMMENDED_NODE_MAJOR ? `; supported, ${RECOMMENDED_NODE_MAJOR} is recommended` : '';
  return good('Node.js', `${version}${advice}`);
}
