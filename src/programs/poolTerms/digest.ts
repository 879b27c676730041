import { sha256Text } from '../../base/canonicalJson.ts';

/** Returns the lower-case hex SHA-256 of decoded parameters. */
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
