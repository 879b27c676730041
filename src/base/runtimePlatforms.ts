/** Where the embedded sandbox can run: the platforms its Solana runtime has a build for. Pure. */

const BUILDS: readonly string[] = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** Whether the embedded chain has a build for `platform` and `arch`, as Node names them. */
export const hasRuntime = (platform: string, arch: string): boolean => BUILDS.includes(`${platform}-${arch}`);

/** The features available without the embedded runtime, in one sentence. */
export const withoutRuntime = (platform: string, arch: string): string =>
  `The embedded sandbox has no build for ${platform}-${arch}; live mode and reads work, and live mode also uses the service and RPC of a sandbox elsewhere (--live --root-url URL --rpc-url URL).`;
