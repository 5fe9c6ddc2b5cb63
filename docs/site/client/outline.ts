/** Highlights the current heading in the outline. */
export function followHeadings(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.outline a')].map((link) => [link.hash.slice(1), link]),
  )
  const headings = [...links.keys()].flatMap((id) => document.getElementById(decodeURIComponent(id)) ?? [])
  const mark = (): void => {
    const read = headings.findLast((heading) => heading.getBoundingClientRect().top < 140) ?? headings[0]
    for (const [id, link] of links) link.toggleAttribute('data-read', id === read?.id)
  }
  addEventListener('scroll', mark, { passive: true })
  mark()
}
