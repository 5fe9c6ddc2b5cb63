import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { countInstantiations } from '@sdk/test-kit'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'sdk-router-cost-'))
symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns the number of type instantiations for a router with `count` routes and `count` mounted routers. */
async function costOf(count: number): Promise<number> {
  const calls = Array.from(
    { length: count },
    (_, index) => `.on('GET /api/r${index}', () => ({ r${index}: 1 })).mount('/api/m${index}', inner)`,
  )
  const text = `import { createRouter } from '@sdk/server'
const inner = createRouter().on('GET /a', () => ({ a: 1 })).on('GET /b', () => ({ b: [1] }))
export const router = createRouter()${calls.join('\n')}
`
  const file = join(folder, `${count}.ts`)
  writeFileSync(file, text)
  return countInstantiations(pathToFileURL(file))
}

describe('router types', () => {
  it('have a constant cost per route, independent of the number of routes', async () => {
    const [none, some, many] = await Promise.all([costOf(0), costOf(80), costOf(160)])
    expect(some).toBeGreaterThan(none)
    expect(many - some).toBeLessThan(1.05 * (some - none))
  })
})
