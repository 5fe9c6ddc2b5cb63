import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

describe('template styles', () => {
  it.each(['default', 'minimal'])('apply to the starter page only (%s)', (name) => {
    const web = join(import.meta.dirname, '../template', name, 'src/web')
    const style = readFileSync(join(web, 'style.css'), 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
    let depth = 0
    const outer = Array.from(style.matchAll(/[{}]|[^{}]+/g), ([text]) => {
      if (text === '{') depth += 1
      if (text === '}') depth -= 1
      return depth === 0 && /[^\s}]/.test(text) ? [text.trim()] : []
    }).flat()
    expect(outer).toEqual([':root', 'body', '.starter'])
    expect(readFileSync(join(web, 'App.tsx'), 'utf8')).toContain('<div className="starter">')
  })
})

describe('template dependencies', () => {
  it('include Better Auth in the version that @sdk/auth uses', () => {
    const auth = readManifest('../../auth/package.json')
    const templates = ['default', 'api-only', 'minimal'].map((name) =>
      readManifest(`../template/${name}/_package.json`),
    )
    const withAuth = templates.filter((dependencies) => '@sdk/auth' in dependencies)
    expect(withAuth.length).toBeGreaterThan(0)
    for (const dependencies of withAuth) expect(dependencies['better-auth']).toBe(auth['better-auth'])
  })
})

function readManifest(path: string): Record<string, string> {
  const text = readFileSync(join(import.meta.dirname, path), 'utf8')
  return (JSON.parse(text) as { dependencies: Record<string, string> }).dependencies
}
