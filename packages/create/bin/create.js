#!/usr/bin/env node
/// <reference types="node" />
// This file uses old syntax, so that an old version of Node can parse it and print the error message.
var version = process.versions.node.split('.').map(Number)
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  process.stderr.write('npm create @sdk requires Node 20.19 or newer, got Node ' + process.versions.node + '.\n')
  process.stderr.write('Install a newer version from https://nodejs.org or with your version manager.\n')
  process.exitCode = 1
} else {
  void import('../dist/bin.js')
}
