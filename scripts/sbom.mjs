/**
 * Writes the bill of materials from the build's metadata: `dist/sbom.cdx.json` (CycloneDX 1.6) lists
 * bundled and installed packages with versions, licences and hashes; `dist/licenses.txt` contains
 * the licence texts of the bundled ones. Both are reproducible.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const json = async (path) => JSON.parse(await readFile(path, 'utf8'));
const FOLDER = /^(?:.*?\/)?(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//;

/** Returns the folders of the bundled packages, such as `node_modules/zod`. */
export function bundledFolders(metafiles) {
  const used = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs)
        .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
        .map(([path]) => FOLDER.exec(path)?.[1]),
    ),
  );
  return [...new Set(used)].filter((folder) => folder !== undefined).sort();
}

const purl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

function component({ name, version, license, integrity }, scope, bundled) {
  const [, algorithm, hash] = /^(sha512)-(.+)$/.exec(integrity ?? '') ?? [];
  return {
    type: 'library',
    'bom-ref': purl(name, version),
    name,
    version,
    scope,
    ...(algorithm === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] }),
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    purl: purl(name, version),
    properties: [{ name: 'countersign:bundled', value: String(bundled) }],
  };
}

const byReference = (a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1);

/** Returns the licence text of a package, or its licence identifier if it contains no text. */
async function licenceOf(folder, { name, version, license }) {
  const file = (await readdir(folder)).sort().find((each) => /^licen[cs]e/i.test(each));
  const text =
    file === undefined ? `Licence: ${license}` : (await readFile(join(folder, file), 'utf8')).trim();
  return `${name} ${version}\n\n${text}\n`;
}

/** Writes both files into `dist`. `root` holds package.json, the lock file and node_modules. */
export async function writeBillOfMaterials(root, dist, metafiles) {
  const own = await json(join(root, 'package.json'));
  const { packages } = await json(join(root, 'package-lock.json'));
  const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const locked = (path) => ({ ...packages[path], name: nameOf(path) });
  const folders = bundledFolders(metafiles);
  const absent = folders.filter((folder) => packages[folder] === undefined);
  if (absent.length > 0) throw new Error(`bundled, and not in the lock file: ${absent.join(', ')}`);
  const installed = Object.keys(packages).filter((path) => path !== '' && packages[path].dev !== true);
  const found = new Map();
  for (const path of installed) {
    const each = component(locked(path), packages[path].optional === true ? 'optional' : 'required', false);
    found.set(each['bom-ref'], each);
  }
  for (const path of folders) {
    const each = component(locked(path), 'required', true);
    found.set(each['bom-ref'], each);
  }
  const components = [...found.values()].sort(byReference);
  const reference = purl(own.name, own.version);
  const digest = createHash('sha256')
    .update(JSON.stringify([reference, components]))
    .digest('hex');
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    // A UUID derived from the content keeps the file reproducible.
    serialNumber: `urn:uuid:${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': reference,
        name: own.name,
        version: own.version,
        licenses: [{ expression: own.license }],
        purl: reference,
      },
    },
    components,
    dependencies: [{ ref: reference, dependsOn: components.map((each) => each['bom-ref']) }],
  };
  await writeFile(join(dist, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`);
  const texts = await Promise.all(folders.map((folder) => licenceOf(join(root, folder), locked(folder))));
  const rule = `\n${'-'.repeat(78)}\n\n`;
  await writeFile(
    join(dist, 'licenses.txt'),
    `Packages that the built files of ${own.name} contain, with their licences.\n${rule}${texts.join(rule)}`,
  );
}
