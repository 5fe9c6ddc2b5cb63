import { beforeAll, describe, expect, it } from 'vitest'
import { compilePages } from './check/compile.ts'
import { checkLanguages } from './check/languages.ts'
import { findPages, readPage } from './check/page.ts'

const pages = findPages().map((path) => readPage(path))

// Compiles all pages together; `vitest … -t docs/guide/agents.md` compiles one.
describe('code blocks of pages', () => {
  let problems: string[]
  // oxlint-disable-next-line no-empty-pattern -- vitest requires a pattern there
  beforeAll(async ({}, { tasks }) => {
    const chosen = new Set(tasks.filter(({ mode }) => mode === 'run').map(({ name }) => name))
    problems = await compilePages(pages.filter(({ path }) => chosen.has(path)))
  }, 600_000)

  it.each(pages.map((page) => [page.path, page] as const))('%s', async (_path, page) => {
    const own = problems.filter((problem) => problem.startsWith(`${page.path}:`))
    expect([...own, ...(await checkLanguages(page))]).toEqual([])
  })

  it('cause no compiler error outside of the pages', () => {
    const paths = pages.map(({ path }) => `${path}:`)
    expect(problems.filter((problem) => !paths.some((path) => problem.startsWith(path)))).toEqual([])
  })
})
