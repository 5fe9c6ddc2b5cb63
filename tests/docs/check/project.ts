import type { Block } from './block.ts'
import { readPage, type Page } from './page.ts'

/** A file of a page's project, and its position in the page. */
export interface Source {
  readonly text: string
  readonly page: string
  /** The line of the page on which the file begins. */
  readonly line: number
}

/** The files of a page's project by path, at one point of the page. */
export type Files = ReadonlyMap<string, Source>

/**
 * Returns the project of a page, step by step. A new step begins when a block replaces a file of the current step, so
 * that every version of a file is part of a step. A page that shows each file once has one step.
 */
export function toSteps(page: Page, open: (path: string) => Page = readPage): Files[] {
  let files = new Map(page.base === undefined ? [] : toSteps(open(page.base), open).at(-1))
  const steps: Files[] = []
  let stepFiles = new Set<string>()
  for (const block of page.blocks.filter(isCode)) {
    const file = block.file ?? `block-${block.line}.${block.language}`
    if (stepFiles.has(file)) {
      steps.push(files)
      files = new Map(files)
      stepFiles = new Set()
    }
    files.set(file, { text: block.text, page: page.path, line: block.line })
    stepFiles.add(file)
  }
  return [...steps, files]
}

/** Returns whether a block is our code. Code of other products is marked `before`. */
function isCode({ language, words }: Block): boolean {
  return (language === 'ts' || language === 'tsx') && !words.includes('before')
}
