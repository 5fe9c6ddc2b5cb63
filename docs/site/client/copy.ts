import { createElement } from './element.ts'

/** Adds a copy button to each code block. */
export function addCopyButtons(): void {
  for (const figure of document.querySelectorAll<HTMLElement>('figure.code')) {
    const button = createElement('button', { type: 'button', className: 'copy', ariaLabel: 'Copy this code' }, 'Copy')
    button.addEventListener('click', () => void copy(figure, button))
    figure.append(button)
  }
}

async function copy(figure: HTMLElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(figure.querySelector('pre')?.textContent ?? '')
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Not allowed' // the browser refused, for example without TLS
  }
  setTimeout(() => (button.textContent = 'Copy'), 1500)
}
