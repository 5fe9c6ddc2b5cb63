import type MiniSearch from 'minisearch'
import type { Found } from '../search-options.ts'
import { createElement } from './element.ts'

const ICON =
  '<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><circle cx="11" cy="11" r="6.5" fill="none" stroke="currentColor" stroke-width="2"/><path d="m16 16 4.5 4.5" stroke="currentColor" stroke-width="2" stroke-linecap="round"/></svg>'

const root = document.documentElement.dataset['root'] ?? './'

/** Adds the search: a button, `/`, and Ctrl or Cmd with K. Its index is loaded when it is first opened. */
export function addSearch(tools: HTMLElement): void {
  const button = createElement('button', { type: 'button', className: 'search', ariaLabel: 'Search' })
  button.innerHTML = `${ICON}<span>Search</span><kbd>/</kbd>`
  tools.append(button)
  let open: (() => void) | undefined
  const show = (): void => {
    open ??= createDialog()
    open()
  }
  button.addEventListener('click', show)
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea') !== null
    const isAsked = event.key === '/' ? !isTyping : event.key === 'k' && (event.ctrlKey || event.metaKey)
    if (!isAsked) return
    event.preventDefault()
    show()
  })
}

function createDialog(): () => void {
  const input = createElement('input', { type: 'search', placeholder: 'Search the documentation', ariaLabel: 'Search' })
  const list = createElement('ul', { className: 'found' })
  const status = createElement('p', { role: 'status' })
  const dialog = createElement('dialog', { className: 'search', ariaLabel: 'Search' }, input, status, list)
  document.body.append(dialog)
  const index = loadIndex()
  const update = async (): Promise<void> => {
    const asked = input.value
    const found = await index.then(
      (one) => one.search(asked).slice(0, 12) as unknown as Found[],
      () => null,
    )
    if (asked !== input.value) return
    status.textContent = toStatus(asked, found)
    list.replaceChildren(...(found ?? []).map((one) => toItem(one, asked)))
  }
  input.addEventListener('input', () => void update())
  dialog.addEventListener('keydown', (event) => moveOn(event, dialog))
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog || (event.target as Element).closest('a') !== null) dialog.close()
  })
  return () => {
    if (!dialog.open) dialog.showModal()
    input.select()
  }
}

async function loadIndex(): Promise<MiniSearch<Found>> {
  const [{ default: Search }, { SEARCH_OPTIONS }, response] = await Promise.all([
    import('minisearch'),
    import('../search-options.ts'),
    fetch(`${root}search-index.json`),
  ])
  if (!response.ok) throw new Error(`could not load the search index: status ${response.status}`)
  return Search.loadJSON(await response.text(), SEARCH_OPTIONS)
}

function toStatus(asked: string, found: readonly Found[] | null): string {
  if (found === null) return 'The search index could not be loaded.'
  if (asked.trim() === '') return ''
  return found.length === 0 ? `No results for “${asked}”.` : ''
}

function toItem({ page, heading, url, text }: Found, asked: string): HTMLLIElement {
  const where = heading === page ? page : `${page} › ${heading}`
  const link = createElement('a', { href: root + url }, createElement('strong', {}, where))
  link.append(createElement('span', {}, toExcerpt(text, asked)))
  return createElement('li', {}, link)
}

function toExcerpt(text: string, asked: string): string {
  const [word = ''] = asked.trim().toLowerCase().split(/\s+/)
  const begin = Math.max(0, text.toLowerCase().indexOf(word) - 40)
  return (begin === 0 ? '' : '… ') + text.slice(begin, begin + 140)
}

/** Moves through the results with the arrow keys, opens the first with Enter, and closes the dialog with Escape. */
function moveOn(event: KeyboardEvent, dialog: HTMLDialogElement): void {
  if (event.key === 'Escape') dialog.close()
  const places = [...dialog.querySelectorAll<HTMLElement>('input, a')]
  const at = places.indexOf(document.activeElement as HTMLElement)
  const step = { ArrowDown: 1, ArrowUp: -1, Enter: at === 0 ? 1 : 0 }[event.key] ?? 0
  const target = places[at + step]
  if (step === 0 || target === undefined) return
  event.preventDefault()
  if (event.key === 'Enter') target.click()
  else target.focus()
}
