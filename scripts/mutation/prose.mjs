/**
 * Excludes prose from mutation testing: a string literal with a space is a sentence or the
 * name of a check, not a code, key or kind. Sentences of decisions are compared with approved texts elsewhere.
 */
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const prose = {
  shouldIgnore(path) {
    if (path.isStringLiteral() && path.node.value.includes(' ')) return 'prose';
    if (path.isTemplateLiteral() && path.node.expressions.length === 0) {
      return path.node.quasis[0].value.cooked?.includes(' ') ? 'prose' : undefined;
    }
    return undefined;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'prose', prose)];
