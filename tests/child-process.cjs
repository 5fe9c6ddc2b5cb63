/**
 * Loaded by all child processes of the projects `suite` and `docs`, through `NODE_OPTIONS`. Saves what takes longer
 * than these processes run: optimizing the WebAssembly of the embedded PostgreSQL, compiling and optimizing functions that
 * run only a few times, and hashing passwords at full cost (see cheap-passwords.ts).
 */
const crypto = require('node:crypto')
const { syncBuiltinESMExports } = require('node:module')
const { setFlagsFromString } = require('node:v8')

setFlagsFromString('--liftoff-only')
setFlagsFromString('--max-lazy')
if (process.version.startsWith('v20.')) setFlagsFromString('--interrupt-budget=600000')

const MAX_COST = 64
const { scrypt } = crypto
crypto.scrypt = (password, salt, length, options, callback) =>
  scrypt(password, salt, length, { ...options, N: Math.min(options.N ?? MAX_COST, MAX_COST) }, callback)
syncBuiltinESMExports()
