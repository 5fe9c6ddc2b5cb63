import { defineConfig } from '@sdk/cli'

export default defineConfig({
  webHeaders: {
    // Scripts and styles are loaded only from this origin, so injected ones do not run.
    'content-security-policy':
      "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'self'; frame-ancestors 'none'",
    'x-frame-options': 'DENY',
  },
})
