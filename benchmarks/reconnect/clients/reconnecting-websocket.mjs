import { createRequire } from 'node:module'
import { openPlain } from './plain.mjs'

const require = createRequire(import.meta.url)
const file = require.resolve('reconnecting-websocket')

// It draws its delay when it is loaded. Two users have loaded it twice, so each client here gets a copy of its own.
export const open = openPlain(() => {
  delete require.cache[file]
  return require(file)
})
