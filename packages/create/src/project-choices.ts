import type { CommandLine } from './command-line.ts'
import { CreateFailure } from './failure.ts'
import { parseTemplate, templates, type TemplateName } from './templates.ts'

/** A function that asks the user a question in the terminal and resolves with the answer. */
export type AskQuestion = (question: string) => Promise<string>

/** The user's choices for a new project. */
export interface ProjectChoices {
  readonly folder: string
  readonly template: TemplateName
  readonly install: boolean
}

/**
 * Asks for the options that are missing from the command line (at most three). Without a terminal, uses the defaults.
 */
export async function askProjectChoices(
  { folder, template, install, yes }: CommandLine,
  askQuestion: AskQuestion | null,
): Promise<ProjectChoices> {
  const ask = yes ? null : askQuestion
  return {
    folder: folder ?? (ask === null ? 'my-app' : await askFolder(ask)),
    template: template ?? (ask === null ? 'default' : await askTemplate(ask)),
    install: install ?? (ask === null ? true : await askInstall(ask)),
  }
}

async function askFolder(ask: AskQuestion): Promise<string> {
  const text = (await ask('Where should the app be created? (my-app) ')).trim()
  return text === '' ? 'my-app' : text
}

async function askTemplate(ask: AskQuestion): Promise<TemplateName> {
  const list = templates.map(({ name, summary }, index) => `  ${index + 1}  ${name.padEnd(9)} ${summary}`).join('\n')
  const question = `Which template? (1)\n${list}\n> `
  for (let prompt = question; ;) {
    const text = (await ask(prompt)).trim()
    if (text === '') return 'default'
    try {
      return parseTemplate(text)
    } catch (error) {
      if (!(error instanceof CreateFailure)) throw error
      prompt = `${error.message}; ${error.fix ?? ''}\n> `
    }
  }
}

async function askInstall(ask: AskQuestion): Promise<boolean> {
  return !/^\s*no?\s*$/i.test(await ask('Install the packages now? (Y/n) '))
}
