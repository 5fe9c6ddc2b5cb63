// Serves the app of the contract suite with the `serve` of a runtime: `program.ts bun`.
import type * as server from '@sdk/server'
import { createContractApp } from './app.ts'

const ENTRIES: Readonly<Record<string, string>> = { bun: '@sdk/server/bun', deno: '@sdk/server/deno' }

const { serve } = (await import(ENTRIES[process.argv[2] ?? ''] ?? '@sdk/server')) as typeof server
const { url } = await serve(createContractApp(), { port: 0 })
console.log(url)
