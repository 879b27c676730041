import { sha256Text } from '../../base/canonicalJson.ts';

/** Lower-case hex SHA-256 of parameters as they were read. */
export const digestOf = (parameters: object): string =>
  sha256Text(
    JSON.stringify(parameters, (_, each: unknown) =>
      typeof each === 'bigint'
        ? `${each}`
        : each instanceof Uint8Array
          ? Buffer.from(each).toString('hex')
          : each,
    ),
  );
