import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from './check/page.ts'
import { filesOf } from './shown.ts'

// The page says that its App.tsx is a smaller one, and that a file may be added to share code.
const OTHERS = new Set(['src/web/App.tsx', 'src/shared/article.ts'])
const files = [...filesOf('docs/guide/project.md')].filter(([file]) => !OTHERS.has(file))

describe('the page on the project structure', () => {
  it.each(files)('shows %s as the template has it', (file, text) => {
    expect(text).toBe(readFileSync(join(ROOT, 'packages/create/template/default', file), 'utf8'))
  })
})
