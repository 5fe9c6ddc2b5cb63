import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cleanup, leave } from './spec/page.ts'
import { startGuardedApp } from './spec/guarded-app.ts'
import { linkTargetExists, NOT_SHOWN, readDecisions } from './spec/not-shown.ts'
import { startPublicApp } from './spec/public-app.ts'
import type { Apps, Section } from './spec/section.ts'
import { section1 } from './spec/section-1.ts'
import { section2_1, section2_2 } from './spec/section-2.ts'
import { section2_3 } from './spec/section-2-3.ts'
import { section2_4, section2_5 } from './spec/section-2-4.ts'
import { section2_6 } from './spec/section-2-6.ts'
import { section3 } from './spec/section-3.ts'
import { section4_1, section4_2, section4_4 } from './spec/section-4.ts'
import { section4_3 } from './spec/section-4-3.ts'
import { section5 } from './spec/section-5.ts'
import { section6 } from './spec/section-6.ts'
import { section7_1, section7_2, section7_3, section7_4 } from './spec/section-7.ts'
import { section8 } from './spec/section-8.ts'
import { section9 } from './spec/section-9.ts'

/** The specification, from its first section to its last. */
const SECTIONS: readonly Section[] = [
  section1,
  section2_1,
  section2_2,
  section2_3,
  section2_4,
  section2_5,
  section2_6,
  section3,
  section4_1,
  section4_2,
  section4_3,
  section4_4,
  section5,
  section6,
  section7_1,
  section7_2,
  section7_3,
  section7_4,
  section8,
  section9,
]

const apps = {} as { -readonly [K in keyof Apps]: Apps[K] }
beforeAll(async () => {
  apps.open = await startPublicApp()
  apps.guarded = await startGuardedApp()
})
afterEach(cleanup)
afterAll(async () => {
  await apps.open.close()
  await apps.guarded.close()
  await leave()
})

it('the tests cover every section of the specification', () => {
  const inside = { 2: 6, 4: 4, 7: 4 } as Record<number, number>
  const headings = Array.from({ length: 9 }, (_, n) => n + 1).flatMap((n) =>
    inside[n] === undefined ? [`${n}`] : Array.from({ length: inside[n] }, (_, m) => `${n}.${m + 1}`),
  )
  expect(SECTIONS.map(({ number }) => number)).toEqual(headings)
})

for (const { number, title, tests } of SECTIONS)
  describe(`${number} ${title}`, () => {
    tests(apps)
  })

describe('docs/reference/spec.md', () => {
  const pages = readDecisions()

  it('has every section of the specification', () => {
    expect(pages.map(({ number }) => number)).toEqual(SECTIONS.map(({ number }) => number))
  })

  it.each(NOT_SHOWN)('has a decision in section %s on %s', (section, what) => {
    const page = pages.find(({ number }) => number === section)
    expect(page?.decided.get(what)).toMatch(/\w/)
  })

  it.each(pages)('links only to existing pages in section $number', ({ links }) => {
    expect(links).not.toEqual([])
    expect(links.filter((link) => !linkTargetExists(link))).toEqual([])
  })
})
