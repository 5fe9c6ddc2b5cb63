/** Shows that an app of five pages needs no library to find its way: the address is a store like any other. */
import { useSyncExternalStore, type MouseEvent, type ReactNode } from 'react'

const PAGES = ['tasks', 'chat', 'assistant', 'files', 'account'] as const

/** The pages, each at the path of its name. */
export type PageName = (typeof PAGES)[number]

/** The page that the address names; any other address is the first page. */
export function usePage(): PageName {
  const path = useSyncExternalStore(subscribe, () => location.pathname)
  return PAGES.find((page) => path === `/${page}`) ?? 'tasks'
}

let moves = 0
addEventListener('popstate', () => moves++)

/** Is this another page than the first one? */
export function hasMoved(): boolean {
  return moves > 0
}

/** Goes to a page. */
function goTo(page: PageName): void {
  history.pushState(null, '', `/${page}`)
  dispatchEvent(new PopStateEvent('popstate'))
  scrollTo(0, 0)
}

/** A link to a page; with a key pressed it is a plain link, for another tab. */
export function PageLink({ to, children }: { to: PageName; children: ReactNode }) {
  const isHere = usePage() === to
  const follow = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    goTo(to)
  }
  return (
    <a href={`/${to}`} aria-current={isHere ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
  )
}

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener)
  return () => removeEventListener('popstate', listener)
}
