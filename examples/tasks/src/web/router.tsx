/** Shows that an app with five pages needs no router library: the URL is a store like any other. */
import { useSyncExternalStore, type MouseEvent, type ReactNode } from 'react'

const PAGES = ['tasks', 'chat', 'assistant', 'files', 'account'] as const

/** The pages; the path of each is its name. */
export type PageName = (typeof PAGES)[number]

/** Returns the page of the URL; an unknown URL is the first page. */
export function usePage(): PageName {
  const path = useSyncExternalStore(subscribe, () => location.pathname)
  return PAGES.find((page) => path === `/${page}`) ?? 'tasks'
}

let moves = 0
addEventListener('popstate', () => moves++)

/** Returns whether the URL is a page other than the first one. */
export function hasMoved(): boolean {
  return moves > 0
}

/** Navigates to a page. */
function goTo(page: PageName): void {
  history.pushState(null, '', `/${page}`)
  dispatchEvent(new PopStateEvent('popstate'))
  scrollTo(0, 0)
}

/** A link to a page. With a modifier key it behaves as a plain link, for example to open a new tab. */
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
