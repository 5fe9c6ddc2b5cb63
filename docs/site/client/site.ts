import { addCopyButtons } from './copy.ts'
import { followHeadings } from './outline.ts'
import { addSearch } from './search.ts'
import { addThemeButton } from './theme-button.ts'

const tools = document.querySelector<HTMLElement>('.tools')
if (tools !== null) {
  addSearch(tools)
  addThemeButton(tools)
}
addCopyButtons()
followHeadings()
document.querySelector('#contents [aria-current]')?.scrollIntoView({ block: 'nearest' })
