#!/usr/bin/env node
'use strict';
/*
 * The installed command. It checks the Node version (so it must parse on any), then runs the start bundle with V8's
 * cached bytecode. The cache lies beside the code, is named after its content, the Node version and the processor,
 * and is written when a server that had none ends; without write access there it simply starts a little slower.
 */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`countersign needs Node.js 20.19 or newer; this is ${process.version}.\n`);
  process.exit(1);
}
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

const filename = join(__dirname, 'start.cjs');
const cacheFile = join(__dirname, `start-${START_HASH}-${process.version}-${process.arch}.cache`);

function cached() {
  try {
    return readFileSync(cacheFile);
  } catch {
    return undefined;
  }
}

// The bundle is ASCII: one byte a character is the cheapest way to read it.
const script = new Script(
  `(function(exports,require,module,loadChunk){${readFileSync(filename, 'latin1')}\n})`,
  {
    filename,
    cachedData: cached(),
  },
);

// From Node 22.1 the chunks that are loaded later are cached by Node itself, in the same place.
require('node:module').enableCompileCache?.(join(__dirname, 'cache'));

const start = { exports: {} };
// A script from cached bytecode cannot import by itself; this file can.
script.runInThisContext()(start.exports, require, start, (chunk) => import(chunk));
start.exports.main(process).then((serves) => {
  if (!serves || script.cachedDataRejected === false) return;
  process.on('exit', () => {
    try {
      // V8 refuses bytecode made under other options than the reader's: back to what a process starts with.
      setFlagsFromString('--heap-growing-percent=0');
      const temporary = `${cacheFile}.${process.pid}`;
      writeFileSync(temporary, script.createCachedData());
      renameSync(temporary, cacheFile);
    } catch {
      // Not writable: the next start compiles again.
    }
  });
});
