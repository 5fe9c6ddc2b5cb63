/**
 * Creates a function that returns unique anchors for headings, as code hosts do: `## What it costs` → `what-it-costs`.
 */
export function createSlugger(): (heading: string) => string {
  const seen = new Map<string, number>()
  return (heading) => {
    const slug = toSlug(heading)
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}

function toSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}
