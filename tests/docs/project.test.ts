import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from './check/page.ts'
import { filesOf } from './shown.ts'

// The page says that its App.tsx is a smaller one.
const files = [...filesOf('docs/guide/project.md')].filter(([file]) => file !== 'src/web/App.tsx')

describe('the page of the files of a project', () => {
  it.each(files)('shows %s as the template has it', (file, text) => {
    expect(text).toBe(readFileSync(join(ROOT, 'packages/create/template/default', file), 'utf8'))
  })
})
