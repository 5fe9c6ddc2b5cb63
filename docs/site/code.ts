import { createCssVariablesTheme, createHighlighter } from 'shiki'
import { escapeHtml } from './html.ts'

/** Renders a code block with its info string as HTML. */
export type CodeRenderer = (text: string, info: string) => string

const LANGUAGES = ['ts', 'tsx', 'js', 'sh', 'json', 'http', 'html', 'css', 'sql', 'yaml', 'nginx', 'dockerfile']

/** Loads the grammars. Colors come from the style sheet, so that one page serves light and dark. */
export async function createCodeRenderer(): Promise<CodeRenderer> {
  const theme = createCssVariablesTheme({ name: 'site', variablePrefix: '--code-', fontStyle: false })
  const highlighter = await createHighlighter({ themes: [theme], langs: LANGUAGES })
  return (text, info) => {
    const [language = '', ...words] = info.split(/\s+/)
    const { caption, code } = splitCaption(text, language)
    const lang = LANGUAGES.includes(language) ? language : 'text'
    const html = highlighter.codeToHtml(code.replace(/\n$/, ''), { lang, theme: 'site' })
    const isForeign = words.includes('before')
    const label = isForeign ? { name: caption?.name ?? 'before', words: caption?.words ?? '' } : caption
    return `<figure class="code${isForeign ? ' foreign' : ''}">${label === undefined ? '' : toCaption(label)}${html}</figure>\n`
  }
}

interface Caption {
  readonly name: string
  readonly words: string
}

/** Parses the caption of a block, which is the path in its first line: `// src/api/tasks.ts: six routes`. */
function splitCaption(text: string, language: string): { caption: Caption | undefined; code: string } {
  const [, name, words = ''] = /^\/\/ ((?:[\w@.[\]-]+\/)*[\w@.[\]-]+\.(?:tsx?|mts))(?:: ?(.*))?\n/.exec(text) ?? []
  if (name === undefined || !/^(?:tsx?|js)$/.test(language)) return { caption: undefined, code: text }
  return { caption: { name, words }, code: text.slice(text.indexOf('\n') + 1) }
}

function toCaption({ name, words }: Caption): string {
  return `<figcaption><span>${escapeHtml(name)}</span>${words === '' ? '' : ` <em>${escapeHtml(words)}</em>`}</figcaption>`
}
