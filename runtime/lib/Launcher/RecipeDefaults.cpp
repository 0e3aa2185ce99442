//===- RecipeDefaults.cpp - options that a recipe gave --------------------===//

#include "Options.h"

namespace hocket::runtime {

namespace {

void set(std::vector<std::string> &files, const std::string &file) {
  if (files.empty() && !file.empty())
    files.push_back(file);
}

void set(std::string &word, const std::string &given) {
  if (word.empty())
    word = given;
}

template <typename T> void set(std::optional<T> &number, int64_t given) {
  if (!number && given > 0)
    number = T(given);
}

std::string spell(const std::string &word) { return word; }

std::string spell(int64_t number) {
  return number > 0 ? std::to_string(number) : "";
}

} // namespace

void applyRecipe(const plan::Recipe &recipe, LauncherOptions &options) {
  // The type is said of the recipe's own file.
  if (options.data.empty())
    set(options.tokenType, recipe.tokenType);
  set(options.data, recipe.data);
  set(options.checkpoints, recipe.checkpoints);
  set(options.saveEvery, recipe.saveEvery);
  set(options.keep, recipe.keep);
  set(options.validationData, recipe.validationData);
  set(options.validateEvery, recipe.validateEvery);
  set(options.validationBatches, recipe.validationBatches);
  set(options.steps, recipe.steps);
  if (!options.resume.empty())
    return;
  set(options.weights, recipe.weights);
  set(options.seed, recipe.seed);
}

std::string recipeDefault(const plan::Recipe &recipe,
                          const std::string &option) {
  if (option == "--data")
    return spell(recipe.data);
  if (option == "--token-type")
    return spell(recipe.tokenType);
  if (option == "--weights")
    return spell(recipe.weights);
  if (option == "--checkpoint")
    return spell(recipe.checkpoints);
  if (option == "--save-every")
    return spell(recipe.saveEvery);
  if (option == "--keep")
    return spell(recipe.keep);
  if (option == "--validation-data")
    return spell(recipe.validationData);
  if (option == "--validate-every")
    return spell(recipe.validateEvery);
  if (option == "--validation-batches")
    return spell(recipe.validationBatches);
  if (option == "--steps")
    return spell(recipe.steps);
  if (option == "--seed")
    return spell(recipe.seed);
  return "";
}

} // namespace hocket::runtime
