// A visit to the dashboard in a real browser, which notes whatever goes wrong on the page without being seen.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

export class Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Console errors and warnings, exceptions, violations of the policy, requests that leave the origin or fail. */
  readonly faults: string[] = [];
  /** Set while the worker is meant to be away. */
  expectsLoss = false;

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.context = context;
    this.page = page;
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type()) || this.expectsLoss) return;
      this.faults.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => this.faults.push(`exception: ${error.stack ?? error.message}`));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) this.faults.push(`leaves the origin: ${request.url()}`);
    });
    page.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? '';
      // A page that is left breaks off what it still asks for.
      if (this.expectsLoss || why === 'net::ERR_ABORTED') return;
      this.faults.push(`failed: ${request.url()} ${why}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400 && !this.expectsLoss)
        this.faults.push(`${response.status()}: ${response.url()}`);
    });
  }

  static async begin(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const visit = new Visit(context, page, new URL(url).origin);
    await page.goto(url);
    return visit;
  }

  /** It has a token, an answer, and its first lists. */
  async live(): Promise<void> {
    await this.page.locator('body[data-link="live"]').waitFor();
    await this.page.locator('figure .canvas[aria-label]').nth(3).waitFor();
  }

  /** The row of this list that holds the text. */
  row(list: 'messages' | 'conversations' | 'turns' | 'attention', text: string | RegExp) {
    return this.page.locator(`#${list}-list tbody tr`).filter({ hasText: text });
  }

  /** Waits until the element of this id says so. */
  async says(id: string, text: string | RegExp): Promise<void> {
    await this.page.locator(`#${id}`).filter({ hasText: text }).waitFor();
  }

  /** What axe-core finds that is serious or critical, a line each. */
  async barriers(): Promise<string[]> {
    // Not as a script of the page: its policy runs none but its own.
    await this.page.evaluate(await readFile(AXE, 'utf8'));
    const { violations } = await this.page.evaluate<AxeResults>('axe.run()');
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary ?? ''}`));
  }

  /** How far the page can be scrolled sideways, in pixels. */
  async sideways(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  }

  async end(): Promise<void> {
    await this.context.close();
  }
}
