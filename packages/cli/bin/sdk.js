#!/usr/bin/env node
/// <reference types="node" />
// Old syntax on purpose: an old Node must be able to read this far, and say what it lacks.
var version = process.versions.node.split('.').map(Number)
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  process.stderr.write('sdk needs Node 20.19 or newer, and this is Node ' + process.versions.node + '.\n')
  process.stderr.write('Install a newer one from https://nodejs.org or with your version manager.\n')
  process.exitCode = 1
} else {
  void import('../dist/bin.js')
}
