import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from './check/page.ts'
import { filesOf } from './shown.ts'

// The App.tsx of the page is shorter, and the template has no shared code.
const OTHERS = new Set(['src/web/App.tsx', 'src/shared/article.ts'])
const files = [...filesOf('docs/guide/project.md')].filter(([file]) => !OTHERS.has(file))

describe('docs/guide/project.md', () => {
  it.each(files)('shows %s of the template', (file, text) => {
    expect(text).toBe(readFileSync(join(ROOT, 'packages/create/template/default', file), 'utf8'))
  })
})
